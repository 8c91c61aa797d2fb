; extends
; STYLE packages: regular expressions in `pattern`, and shell words in those of `shell_regex`. Keys come in either order. A text in double
; quotes with a backslash is left alone: there a backslash of the expression is written twice.

((block_mapping
  (block_mapping_pair
    key: (flow_node) @_op
    value: (flow_node) @_how)
  (block_mapping_pair
    key: (flow_node) @_pattern
    value: [
      (flow_node [
        (plain_scalar (string_scalar) @injection.content)
        (single_quote_scalar) @injection.content
        (double_quote_scalar) @injection.content
      ])
      (block_node (block_scalar) @injection.content)
    ]))
  (#rulewright? "style")
  (#eq? @_op "op")
  (#any-of? @_how "regex" "shell_regex")
  (#eq? @_pattern "pattern")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "regex"))

((flow_mapping
  (flow_pair
    key: (flow_node) @_op
    value: (flow_node) @_how)
  (flow_pair
    key: (flow_node) @_pattern
    value: (flow_node [
      (plain_scalar (string_scalar) @injection.content)
      (single_quote_scalar) @injection.content
      (double_quote_scalar) @injection.content
    ])))
  (#rulewright? "style")
  (#eq? @_op "op")
  (#any-of? @_how "regex" "shell_regex")
  (#eq? @_pattern "pattern")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "regex"))

((block_mapping
  (block_mapping_pair
    key: (flow_node) @_pattern
    value: [
      (flow_node [
        (plain_scalar (string_scalar) @injection.content)
        (single_quote_scalar) @injection.content
        (double_quote_scalar) @injection.content
      ])
      (block_node (block_scalar) @injection.content)
    ])
  (block_mapping_pair
    key: (flow_node) @_op
    value: (flow_node) @_how))
  (#rulewright? "style")
  (#eq? @_op "op")
  (#any-of? @_how "regex" "shell_regex")
  (#eq? @_pattern "pattern")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "regex"))

((flow_mapping
  (flow_pair
    key: (flow_node) @_pattern
    value: (flow_node [
      (plain_scalar (string_scalar) @injection.content)
      (single_quote_scalar) @injection.content
      (double_quote_scalar) @injection.content
    ]))
  (flow_pair
    key: (flow_node) @_op
    value: (flow_node) @_how))
  (#rulewright? "style")
  (#eq? @_op "op")
  (#any-of? @_how "regex" "shell_regex")
  (#eq? @_pattern "pattern")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "regex"))

((block_mapping
  (block_mapping_pair
    key: (flow_node) @_op
    value: (flow_node) @_how)
  (block_mapping_pair
    key: (flow_node) @_pattern
    value: [
      (flow_node [
        (plain_scalar (string_scalar) @injection.content)
        (single_quote_scalar) @injection.content
        (double_quote_scalar) @injection.content
      ])
      (block_node (block_scalar) @injection.content)
    ]))
  (#rulewright? "style")
  (#eq? @_op "op")
  (#any-of? @_how "shell_regex")
  (#eq? @_pattern "pattern")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "bash"))

((flow_mapping
  (flow_pair
    key: (flow_node) @_op
    value: (flow_node) @_how)
  (flow_pair
    key: (flow_node) @_pattern
    value: (flow_node [
      (plain_scalar (string_scalar) @injection.content)
      (single_quote_scalar) @injection.content
      (double_quote_scalar) @injection.content
    ])))
  (#rulewright? "style")
  (#eq? @_op "op")
  (#any-of? @_how "shell_regex")
  (#eq? @_pattern "pattern")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "bash"))

((block_mapping
  (block_mapping_pair
    key: (flow_node) @_pattern
    value: [
      (flow_node [
        (plain_scalar (string_scalar) @injection.content)
        (single_quote_scalar) @injection.content
        (double_quote_scalar) @injection.content
      ])
      (block_node (block_scalar) @injection.content)
    ])
  (block_mapping_pair
    key: (flow_node) @_op
    value: (flow_node) @_how))
  (#rulewright? "style")
  (#eq? @_op "op")
  (#any-of? @_how "shell_regex")
  (#eq? @_pattern "pattern")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "bash"))

((flow_mapping
  (flow_pair
    key: (flow_node) @_pattern
    value: (flow_node [
      (plain_scalar (string_scalar) @injection.content)
      (single_quote_scalar) @injection.content
      (double_quote_scalar) @injection.content
    ]))
  (flow_pair
    key: (flow_node) @_op
    value: (flow_node) @_how))
  (#rulewright? "style")
  (#eq? @_op "op")
  (#any-of? @_how "shell_regex")
  (#eq? @_pattern "pattern")
  (#not-lua-match? @injection.content "^\".*\\")
  (#rulewright-inside! @injection.content)
  (#set! injection.language "bash"))
