import { describe, expect, it } from 'vitest'
import { helpWords } from '../../../src/agents/claude/help-words.ts'

/** From the help of 2.1.332, shortened; 2.0.42 writes each option in one long line. */
const help = `Usage: claude [options] [command] [prompt]

Options:
  --allowedTools, --allowed-tools <tools...>
      Comma or space-separated list of tool names
  --bare                                Minimal mode. Explicitly provide:
                                        --system-prompt[-file],
                                        --add-dir
  -p, --print                           Print response and exit
  --permission-mode <mode>              Permission mode to use for the session
                                        (choices: "acceptEdits",
                                        "dontAsk", "plan")
`

describe('the words of a help text', () => {
  it('are the options that it lists, by all their names, and the values that it offers', () => {
    expect([...helpWords(help)].sort()).toEqual(
      [
        '--allowed-tools',
        '--allowedTools',
        '--bare',
        '--permission-mode',
        '--print',
        'acceptEdits',
        'dontAsk',
        'plan',
      ].sort(),
    )
  })

  it('are none in a text that is no help', () => {
    expect(helpWords('Error: --tools is wrong')).toEqual(new Set())
  })
})
