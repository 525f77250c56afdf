import { open } from 'node:fs/promises'
import { YokeError } from '../errors.ts'
import { chooseReads } from '../transcript/reads.ts'
import { realPathOf } from '../transcript/real-path.ts'
import { type Observer, type Scan, scan } from '../transcript/scan.ts'
import { select } from '../transcript/select.ts'
import { type Drift, strictly } from './drift.ts'
import { fingerprint } from './fingerprint.ts'
import { type FormatTerms, knownShapes } from './format.ts'
import { isKnownPart } from './known-parts.ts'
import { eachPart } from './parts.ts'
import { withRelease } from './release.ts'
import { signature } from './signature.ts'

export type SessionFingerprint = Drift & {
  /** 16 hexadecimal digits (§9.2). */
  readonly fingerprint: string
}

type Terms = {
  readonly formats: readonly FormatTerms[]
  readonly strict: boolean
  /** The installed release, where it is known. */
  readonly installed?: string | undefined
}

/** Looks into every line of a session that is scanned. */
export const thoroughFingerprint = ({ formats, strict, installed }: Terms) => {
  const seen = fingerprint({ known: knownShapes(formats), isKnownPart, thorough: true })
  const held = signature(eachPart)
  return {
    observer: both(seen, held.add),
    finish: (stays: (line: number) => boolean): SessionFingerprint => {
      const drift = withRelease(seen.finish(stays), seen.firstLine, formats, installed)
      return { fingerprint: held.digest(), ...(strict ? strictly(drift) : drift) }
    },
  }
}

/** The same of a stored session, as if every file that was read in it were kept. Throws `E_NOT_A_SESSION`, and when it
 * cannot be read. */
export const fingerprintSession = async (
  file: string,
  cwd: string,
  terms: Terms,
): Promise<SessionFingerprint> => {
  const { observer, finish } = thoroughFingerprint(terms)
  const handle = await open(file, 'r')
  try {
    const staying = linesThatStay(await scan(handle.fd, { cwd, wants: () => true, observer }))
    const found = finish((line) => staying.has(line))
    if (found.fingerprint === emptyFingerprint && found.verdict === 'known')
      throw new YokeError('E_NOT_A_SESSION', `${file} holds no records of a session.`, 'Name another file.')
    return found
  } finally {
    await handle.close()
  }
}

const emptyFingerprint = signature(eachPart).digest()

const both = (seen: Observer, add: (json: unknown) => void): Observer => ({
  parsed: (json, line) => {
    add(json)
    seen.parsed(json, line)
  },
  looked: (label, bytes, start, end, line) => {
    seen.looked(label, bytes, start, end, line)
    try {
      add(JSON.parse(bytes.toString('utf8', start, end)))
    } catch {
      // A damaged line holds no format.
    }
  },
})

const linesThatStay = (found: Scan): ReadonlySet<number> => {
  const { reads } = chooseReads(
    found.entries,
    found.chain,
    [],
    () => [{ entry: '', exact: true }],
    realPathOf,
  )
  const plan = select(
    found,
    reads.map((read) => ({ ...read, notBefore: 0 })),
  )
  return new Set(typeof plan === 'string' ? [] : plan.map(({ source }) => source.line))
}
