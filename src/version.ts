// A named import from JSON works in Bun only; the default export is what the standard has.
import manifest from '../package.json' with { type: 'json' }

export const { name, version } = manifest
