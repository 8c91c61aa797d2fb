; extends
; Foya's global rules: the word that makes a comment a marker.
((html_block) @keyword.directive
  (#rulewright? "foya")
  (#lua-match? @keyword.directive "^<!%-%- foya%-rule: {")
  (#rulewright-part! @keyword.directive "()foya%-rule()"))
