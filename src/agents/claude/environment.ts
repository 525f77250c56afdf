import { without } from '../environment.ts'

/**
 * What an agent session leaves in the environment of the commands that it runs: the names that Claude Code 2.1.332 was
 * seen to set there, and those that its terminal and editor integrations add. An agent that inherits them takes itself for a
 * part of that session.
 */
const sessionMarkers: Readonly<Record<string, string>> = {
  CLAUDECODE: 'an agent that sees it refuses to start or takes itself for nested',
  CLAUDE_CODE_CHILD_SESSION: 'keeps some releases from writing a transcript, anthropics/claude-code#73848',
  CLAUDE_CODE_SESSION_ID: 'names the session around yoke, not the one to start',
  CLAUDE_CODE_PARENT_SESSION_ID: 'as above',
  CLAUDE_CODE_REMOTE_SESSION_ID: 'as above',
  CLAUDE_CODE_ENTRYPOINT: 'says how the session around yoke was started',
  CLAUDE_CODE_EXECPATH: 'the program of the session around yoke',
  CLAUDE_CODE_SSE_PORT: 'connects to the editor of the session around yoke',
  CLAUDE_CODE_MESSAGING_SOCKET: 'connects to the process of the session around yoke',
  CLAUDE_CODE_MESSAGING_TOKEN: 'its secret',
  CLAUDE_CODE_CHILD_NOTES_DIR: 'a folder of the session around yoke',
  CLAUDE_CODE_SESSION_ATTENDED: 'says whether a person watches the session around yoke',
  CLAUDE_CODE_AGENT_NAME: 'the part in a team that the session around yoke plays',
  CLAUDE_CODE_TEAM_NAME: 'as above',
  CLAUDE_PID: 'the process of the session around yoke',
  AI_AGENT: 'names the agent around yoke',
}

/** The environment for a child: that of yoke without the marks of a session that yoke itself was started from. */
export const withoutSessionMarkers = (
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> => without(env, sessionMarkers)
