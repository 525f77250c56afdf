import { describe, expect, it } from 'vitest'
import { probeEnvironment } from '../../src/probe/environment.ts'

const env = probeEnvironment({
  url: 'http://127.0.0.1:1',
  home: '/h',
  base: {
    PATH: '/bin',
    LANG: 'de_DE.UTF-8',
    HOME: '/home/me',
    ANTHROPIC_API_KEY: 'sk-ant-real',
    ANTHROPIC_AUTH_TOKEN: 'real',
    CLAUDE_CODE_USE_BEDROCK: '1',
    CLAUDECODE: '1',
    HTTPS_PROXY: 'http://proxy:3128',
    AWS_SECRET_ACCESS_KEY: 'real',
    OPENAI_API_KEY: 'real',
    NODE_OPTIONS: '--inspect',
    UNSET: undefined,
  },
})

describe('the environment of a probe', () => {
  it('points to the server, in its own home', () => {
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      HOME: '/h',
      CLAUDE_CONFIG_DIR: expect.stringMatching(/^.h/),
    })
    expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '').provider.anthropic.options.baseURL).toBe(
      'http://127.0.0.1:1/v1',
    )
  })

  it('hands on what a program needs, and nothing that leads elsewhere', () => {
    expect(env).toMatchObject({ PATH: '/bin', LANG: 'de_DE.UTF-8' })
    expect(JSON.stringify(env)).not.toMatch(/real|proxy|inspect|BEDROCK|CLAUDECODE|home\/me/)
  })
})
