import { capture } from './claude-capture.ts'
import { notesOfCapture } from './claude-notes.ts'
import type { Harvester } from './harvester.ts'

export const claude: Harvester = {
  agent: 'claude',
  package: '@anthropic-ai/claude-code',
  lastFile: 'rehearsal.json',
  capture,
  notes: notesOfCapture,
}
