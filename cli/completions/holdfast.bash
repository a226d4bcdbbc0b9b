# Completion of holdfast for bash. Verbs and options are asked of the command itself, so that they are always
# those of the version that is installed.
_holdfast() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[0]} verb=${COMP_WORDS[1]}
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$("$command" --help 2>/dev/null | sed -n 's/^  \([a-z-]*\)  .*/\1/p')" -- "$word")
    return
  fi
  case $before in
  --method)
    mapfile -t COMPREPLY < <(compgen -W "tamsi convex mlcp rk3 implicit-euler sdirk switching" -- "$word")
    return ;;
  --friction)
    mapfile -t COMPREPLY < <(compgen -W "regularised smooth anchored coulomb" -- "$word")
    return ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$command" "$verb" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)" -- "$word")
  elif [[ $verb == experiment && $COMP_CWORD == 2 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$command" experiment 2>&1 | sed -n 's/^  \([a-z0-9-]*\)  .*/\1/p')" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _holdfast holdfast
