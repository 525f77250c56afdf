const longest = 200

/**
 * The name of the folder that holds a project's sessions: every UTF-16 unit of the real path outside [A-Za-z0-9] becomes `-`. Beyond 200
 * units the first 200 stand with a hash of the whole path behind them (2.1.47 and later; older releases keep no session there).
 */
export const slug = (realPath: string): string => {
  const path = realPath.normalize('NFC')
  const name = path.replace(/[^a-zA-Z0-9]/g, '-')
  return name.length <= longest ? name : `${name.slice(0, longest)}-${Math.abs(hash(path)).toString(36)}`
}

/** The 32-bit string hash of Java. */
const hash = (text: string): number => {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum = ((sum << 5) - sum + text.charCodeAt(index)) | 0
  return sum
}
