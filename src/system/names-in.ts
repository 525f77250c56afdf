import { readdirSync } from 'node:fs'

/** What is in a folder; nothing when there is none, or none that may be looked into. */
export const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
