// Made by scripts/harvest.ts: do not edit.
import format0 from './opencode/1.0.185.json' with { type: 'json' }
import format1 from './opencode/1.1.11.json' with { type: 'json' }
import format2 from './opencode/1.1.65.json' with { type: 'json' }
import format3 from './opencode/1.2.1.json' with { type: 'json' }
import format4 from './opencode/1.2.27.json' with { type: 'json' }
import format5 from './opencode/1.14.34.json' with { type: 'json' }
import format6 from './opencode/1.17.0.json' with { type: 'json' }

/** Every format of OpenCode, oldest first, as it stands in its file. */
export const opencodeFormats: readonly unknown[] = [
  format0,
  format1,
  format2,
  format3,
  format4,
  format5,
  format6,
]
