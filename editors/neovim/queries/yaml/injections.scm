; extends
; STYLE packages: regular expressions in `pattern`, and shell words in those of `shell_regex`. A text in double quotes with a backslash is
; left alone: there a backslash of the expression is written twice.
; `op` is looked for by a predicate: a query with two keys of one mapping tries all pairs of keys, in every YAML file, and hangs on long ones.

((block_mapping_pair
  key: (flow_node) @_pattern
  value: [
    (flow_node [
      (plain_scalar (string_scalar) @injection.content)
      (single_quote_scalar) @injection.content
      (double_quote_scalar) @injection.content
    ])
    (block_node (block_scalar) @injection.content)
  ]) @_pair
  (#eq? @_pattern "pattern")
  (#rulewright? "style")
  (#rulewright-op? @_pair "regex" "shell_regex")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "regex"))

((flow_pair
  key: (flow_node) @_pattern
  value: (flow_node [
    (plain_scalar (string_scalar) @injection.content)
    (single_quote_scalar) @injection.content
    (double_quote_scalar) @injection.content
  ])) @_pair
  (#eq? @_pattern "pattern")
  (#rulewright? "style")
  (#rulewright-op? @_pair "regex" "shell_regex")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "regex"))

((block_mapping_pair
  key: (flow_node) @_pattern
  value: [
    (flow_node [
      (plain_scalar (string_scalar) @injection.content)
      (single_quote_scalar) @injection.content
      (double_quote_scalar) @injection.content
    ])
    (block_node (block_scalar) @injection.content)
  ]) @_pair
  (#eq? @_pattern "pattern")
  (#rulewright? "style")
  (#rulewright-op? @_pair "shell_regex")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "bash"))

((flow_pair
  key: (flow_node) @_pattern
  value: (flow_node [
    (plain_scalar (string_scalar) @injection.content)
    (single_quote_scalar) @injection.content
    (double_quote_scalar) @injection.content
  ])) @_pair
  (#eq? @_pattern "pattern")
  (#rulewright? "style")
  (#rulewright-op? @_pair "shell_regex")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "bash"))
