; extends
; Foya's global rules: the JSON of a marker.
((html_block) @injection.content
  (#rulewright? "foya")
  (#lua-match? @injection.content "^<!%-%- foya%-rule: {")
  (#rulewright-part! @injection.content "(){.*}()")
  (#set! injection.language "json"))
