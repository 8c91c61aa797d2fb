; extends
; STYLE packages: words with a meaning of their own.
((block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node) @keyword)
  (#rulewright? "style")
  (#any-of? @_key "action" "at" "fail" "fallback" "repeat" "target"))

((block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node) @keyword.operator)
  (#rulewright? "style")
  (#eq? @_key "op"))

((flow_pair
  key: (flow_node) @_key
  value: (flow_node) @keyword.operator)
  (#rulewright? "style")
  (#eq? @_key "op"))

((block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node) @property)
  (#rulewright? "style")
  (#eq? @_key "field"))

; The head of a Foya rule, which Markdown hands to this grammar.
((block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node) @keyword)
  (#rulewright? "foya")
  (#eq? @_key "trigger")
  (#any-of? @keyword "always" "glob" "model_decision" "manual"))
