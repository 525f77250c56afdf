// Made by scripts/harvest.ts: do not edit.
import format0 from './claude/1.0.0.json' with { type: 'json' }
import format1 from './claude/1.0.9.json' with { type: 'json' }
import format2 from './claude/1.0.10.json' with { type: 'json' }
import format3 from './claude/1.0.27.json' with { type: 'json' }
import format4 from './claude/1.0.30.json' with { type: 'json' }
import format5 from './claude/1.0.117.json' with { type: 'json' }
import format6 from './claude/1.0.128.json' with { type: 'json' }
import format7 from './claude/2.0.28.json' with { type: 'json' }
import format8 from './claude/2.0.42.json' with { type: 'json' }
import format9 from './claude/2.0.50.json' with { type: 'json' }
import format10 from './claude/2.0.76.json' with { type: 'json' }
import format11 from './claude/2.1.1.json' with { type: 'json' }
import format12 from './claude/2.1.8.json' with { type: 'json' }
import format13 from './claude/2.1.20.json' with { type: 'json' }
import format14 from './claude/2.1.72.json' with { type: 'json' }
import format15 from './claude/2.1.79.json' with { type: 'json' }
import format16 from './claude/2.1.94.json' with { type: 'json' }
import format17 from './claude/2.1.100.json' with { type: 'json' }
import format18 from './claude/2.1.111.json' with { type: 'json' }
import format19 from './claude/2.1.120.json' with { type: 'json' }
import format20 from './claude/2.1.140.json' with { type: 'json' }
import format21 from './claude/2.1.154.json' with { type: 'json' }
import format22 from './claude/2.1.178.json' with { type: 'json' }
import format23 from './claude/2.1.215.json' with { type: 'json' }
import format24 from './claude/2.1.222.json' with { type: 'json' }
import format25 from './claude/2.1.234.json' with { type: 'json' }
import format26 from './claude/2.1.260.json' with { type: 'json' }
import format27 from './claude/2.1.268.json' with { type: 'json' }
import format28 from './claude/2.1.271.json' with { type: 'json' }
import format29 from './claude/2.1.277.json' with { type: 'json' }
import format30 from './claude/2.1.283.json' with { type: 'json' }
import format31 from './claude/2.1.290.json' with { type: 'json' }
import format32 from './claude/2.1.300.json' with { type: 'json' }
import format33 from './claude/2.1.304.json' with { type: 'json' }
import format34 from './claude/2.1.310.json' with { type: 'json' }
import format35 from './claude/2.1.311.json' with { type: 'json' }
import format36 from './claude/2.1.317.json' with { type: 'json' }
import format37 from './claude/2.1.318.json' with { type: 'json' }
import format38 from './claude/2.1.319.json' with { type: 'json' }
import format39 from './claude/2.1.324.json' with { type: 'json' }
import format40 from './claude/2.1.326.json' with { type: 'json' }
import format41 from './claude/2.1.329.json' with { type: 'json' }
import format42 from './claude/2.1.331.json' with { type: 'json' }
import format43 from './claude/2.1.332.json' with { type: 'json' }

/** Every format of Claude Code, oldest first, as it stands in its file. */
export const claudeFormats: readonly unknown[] = [
  format0,
  format1,
  format2,
  format3,
  format4,
  format5,
  format6,
  format7,
  format8,
  format9,
  format10,
  format11,
  format12,
  format13,
  format14,
  format15,
  format16,
  format17,
  format18,
  format19,
  format20,
  format21,
  format22,
  format23,
  format24,
  format25,
  format26,
  format27,
  format28,
  format29,
  format30,
  format31,
  format32,
  format33,
  format34,
  format35,
  format36,
  format37,
  format38,
  format39,
  format40,
  format41,
  format42,
  format43,
]
