"""How a format describes its keys: pydantic fields with a doc in both languages, read back for hover and completion.

The pydantic models are the only list of keys. This module holds what they share; it names no key of any format.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic import Field as PydanticField
from pydantic.fields import FieldInfo

from rulewright.text.language import Text, same

Source = Literal["S", "F", "O", "R"]


class Shape(BaseModel):
    """Base of every mapping of a format: strict types, unknown keys refused (`x-` keys are taken out before)."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Doc:
    """What is said of one key, beside its type: carried in the field's metadata."""

    doc: Text
    source: Source
    default: Text | None = None
    values: tuple[str, ...] = ()
    value_docs: Mapping[str, Text] | None = None
    kind: Text | None = None


@dataclass(frozen=True, slots=True)
class FieldDoc:
    """One key as hover, completion and the reference page see it.

    values: the words that may stand there, in the order of the spec; empty for free values.
    default: how the default reads, code in back-ticks; None where there is none.
    models: the mapping below the key (or below each item of a list), if it is one; several where one of its keys decides which.
    is_list: the key's value is a list.
    listed: `kind` is nothing but the list of `values`.
    """

    name: str
    doc: Text
    kind: Text
    values: tuple[str, ...]
    value_docs: Mapping[str, Text]
    default: Text | None
    required: bool
    source: Source
    models: tuple[type[Shape], ...]
    is_list: bool
    listed: bool

    @property
    def model(self) -> type[Shape] | None:
        """The mapping below the key; the first of several."""
        return self.models[0] if self.models else None


def key(
    default: Any = ...,
    *,
    en: str,
    zh: str,
    source: Source,
    shown: Text | str | None = None,
    values: tuple[str, ...] = (),
    value_docs: Mapping[str, Text] | None = None,
    kind: Text | None = None,
    schema: Mapping[str, Any] | None = None,
    **constraints: Any,
) -> Any:
    """Declare one key of a mapping.

    Args:
        default: as in pydantic; left out for a required key.
        en, zh: one sentence of documentation.
        source: who says so: [S]TYLE seed, [F]oya seed, [O]penClaude seed, [R]ulewright.
        shown: how the effective default reads to users: in words, or as what could be written there.
        values, value_docs: words to offer where the type itself does not list them, and what each means.
        kind: the type in words, where it is not plain from the annotation.
        schema: for the JSON Schema, what lowering asks for beyond the type.
        constraints: pydantic's own, such as `ge`.
    """
    info: FieldInfo = PydanticField(
        default,
        description=en,
        json_schema_extra={"x-doc-zh-CN": zh, "x-source": source, **(schema or {})},
        **constraints,
    )
    if isinstance(shown, str):
        shown = same(shown if "`" in shown else f"`{shown}`")
    info.metadata.append(Doc(Text(en, zh), source, shown, values, value_docs, kind))
    return info


_KINDS = {
    str: Text("text", "文本"),
    int: Text("a whole number", "整数"),
    bool: Text("`true` or `false`", "`true` 或 `false`"),
    float: Text("a number", "数字"),
}


def fields_of(model: type[Shape]) -> dict[str, FieldDoc]:
    """Return the keys of a mapping in declared order, by the name that users write."""
    cached = _CACHE.get(model)
    if cached is None:
        cached = {}
        for attribute, info in model.model_fields.items():
            name = info.alias or attribute
            cached[name] = _field_doc(name, info)
        _CACHE[model] = cached
    return cached


_CACHE: dict[type[Shape], dict[str, FieldDoc]] = {}


def _field_doc(name: str, info: FieldInfo) -> FieldDoc:
    doc = next(item for item in info.metadata if isinstance(item, Doc))
    words, scalar, models, is_list = _look_into(info.annotation)
    values = doc.values or words
    if doc.kind is not None:
        kind = doc.kind
    elif models:
        kind = Text("a list of mappings", "映射的列表") if is_list else Text("a mapping", "映射")
    elif values:
        listed = " | ".join(f"`{value}`" for value in values)
        kind = Text(listed, listed)
    else:
        kind = _KINDS.get(scalar or str, _KINDS[str])
    return FieldDoc(
        name,
        doc.doc,
        kind,
        values,
        doc.value_docs or {},
        doc.default,
        info.is_required(),
        doc.source,
        models,
        is_list,
        listed=doc.kind is None and bool(values),
    )


def _look_into(annotation: Any) -> tuple[tuple[str, ...], type | None, tuple[type[Shape], ...], bool]:
    """Return the literal words, the scalar type, the nested models, and whether it is a list."""
    if isinstance(annotation, type) and issubclass(annotation, Shape):
        return (), None, (annotation,), False
    origin = typing.get_origin(annotation)
    if origin is Literal:
        words = tuple(word for word in typing.get_args(annotation) if isinstance(word, str))
        return words, str, (), False
    if origin is typing.Annotated:
        return _look_into(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        options = [option for option in typing.get_args(annotation) if option is not type(None)]
        models = tuple(option for option in options if isinstance(option, type) and issubclass(option, Shape))
        if len(models) > 1:
            return (), None, models, False
        if options:
            return _look_into(options[0])
    if origin is list:
        words, scalar, models, _ = _look_into(typing.get_args(annotation)[0])
        return words, scalar, models, True
    if annotation is bool:
        return ("true", "false"), bool, (), False
    if isinstance(annotation, type):
        return (), annotation, (), False
    return (), None, (), False
