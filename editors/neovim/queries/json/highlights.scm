; extends
; Hook chains: events, outcomes and kinds of action. Names such as `${ERROR}` in texts are coloured by the plugin itself.
((pair
  key: (string (string_content) @_key)
  value: (string (string_content) @constant))
  (#rulewright? "hook-chains")
  (#any-of? @_key "event" "outcome"))

((pair
  key: (string (string_content) @_key)
  value: (array (string (string_content) @constant)))
  (#rulewright? "hook-chains")
  (#eq? @_key "outcomes"))

((pair
  key: (string (string_content) @_key)
  value: (string (string_content) @keyword))
  (#rulewright? "hook-chains")
  (#eq? @_key "type"))
