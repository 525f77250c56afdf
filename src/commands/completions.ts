import { commands } from '../commands.ts'
import { exitCode, YokeError } from '../errors.ts'
import type { Define } from '../main.ts'
import { listRuns, loopFolder } from '../run/folder.ts'
import { candidateLines, complete } from './complete.ts'
import { describeCommand } from './describe.ts'

export const define: Define = (cli) => {
  cli
    .command('completions <shell>', 'Print the completions for a shell: bash, zsh or fish')
    .example('  yoke completions bash > ~/.local/share/bash-completion/completions/yoke')
    .example('  yoke completions zsh > ~/.zfunc/_yoke')
    .example('  yoke completions fish > ~/.config/fish/completions/yoke.fish')
    .action((shell: string) => {
      const script = scripts.get(String(shell))
      if (script === undefined)
        throw new YokeError(
          'E_USAGE',
          `There are no completions for "${shell}".`,
          'Name one of: bash, zsh, fish.',
          exitCode.usage,
        )
      process.stdout.write(script)
    })
}

/** Answers the scripts below: `yoke complete -- WORD...` with the words before the cursor and the one at it. */
export const answer = async (argv: readonly string[]): Promise<void> => {
  const words = argv[0] === '--' ? argv.slice(1) : argv
  const entry = commands[words[0] ?? '']
  const isNamed = words.length > 1 && entry !== undefined
  const candidates = complete(words, {
    commands: isNamed ? [await describeCommand(words[0] ?? '', entry)] : [],
    summaries: Object.fromEntries(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
    runs: isNamed ? (await listRuns(loopFolder(process.cwd()))).toReversed() : [],
    sessions: entry?.usage.includes('<session>') ? await sessionsHere() : [],
  })
  process.stdout.write(candidateLines(candidates))
}

/** The agents are loaded only for this: a key has been pressed, and somebody waits. */
const sessionsHere = async (): Promise<readonly string[]> => {
  const { listSessions } = await import('../agents/registry.ts')
  return listSessions(process.cwd(), process.env)
}

// What has been typed is handed on as arguments and never evaluated.
const bash = `# bash completion for yoke
_yoke() {
  local kind line
  COMPREPLY=()
  {
    IFS= read -r kind
    while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done
  } < <(yoke complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # Without an answer bash completes file names.
  [[ $kind == words ]] && compopt +o default 2>/dev/null
  return 0
}
complete -o default -F _yoke yoke
`

const zsh = `#compdef yoke
_yoke() {
  local -a lines shown
  lines=("\${(@f)$(yoke complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] != words ]]; then
    _files
    return
  fi
  shift lines
  lines=("\${(@)lines//:/\\\\:}")
  shown=("\${(@)lines/$'\\t'/:}")
  _describe -t yoke yoke shown
}
if [[ $funcstack[1] == _yoke ]]; then _yoke "$@"; else compdef _yoke yoke; fi
`

const fish = `# fish completion for yoke
function __yoke_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (yoke complete -- $words[2..-1] 2>/dev/null)
    if test "$lines[1]" != words
        __fish_complete_path (commandline -ct)
        return
    end
    printf '%s\\n' $lines[2..-1]
end
complete -c yoke -f -a '(__yoke_complete)'
`

const scripts: ReadonlyMap<string, string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
])
