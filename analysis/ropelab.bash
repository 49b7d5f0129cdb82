# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of bash for ropelab, from the candidates that `ropelab __complete` prints.
_ropelab() {
  local line=${COMP_LINE:0:COMP_POINT} words typed candidate kept=''
  read -ra words <<<"$line"
  [[ $line == *[[:blank:]] ]] && words+=('')
  typed=${words[-1]}
  # Only the text after the last '=' or ':' is replaced, unless these do not break words.
  if [[ $typed == *[=:]* && $COMP_WORDBREAKS == *=*  ]]; then
    kept=${typed%"${typed##*[=:]}"}
  fi
  COMPREPLY=()
  while IFS= read -r candidate; do
    case $candidate in
      :files | :folders)
        compopt -o filenames
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
          compgen "$([[ $candidate == :files ]] && echo -f || echo -d)" -- "${typed#"$kept"}")
        ;;
      *)
        [[ $candidate == *[=.] ]] && compopt -o nospace
        COMPREPLY+=("${candidate#"$kept"}")
        ;;
    esac
  done < <("${1/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null)
} 2>/dev/null
complete -F _ropelab ropelab
