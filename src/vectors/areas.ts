import type { Area } from './area.ts'
import { brute } from './areas/brute.ts'
import { directives } from './areas/directives.ts'
import { doctor } from './areas/doctor.ts'
import { failure } from './areas/failure.ts'
import { find } from './areas/find.ts'
import { fingerprint } from './areas/fingerprint.ts'
import { fork } from './areas/fork.ts'
import { invocation } from './areas/invocation.ts'
import { journal } from './areas/journal.ts'
import { keep } from './areas/keep.ts'
import { location } from './areas/location.ts'
import { plan } from './areas/plan.ts'
import { slug } from './areas/slug.ts'
import { traceArea } from './areas/trace.ts'
import { trim } from './areas/trim.ts'
import { trust } from './areas/trust.ts'
import { verdict } from './areas/verdict.ts'

/** Every area that has cases, in the order of the specification. */
export const areas: Readonly<Record<string, Area>> = {
  invocation,
  brute,
  fork,
  loop: traceArea('brute'),
  periodics: traceArea('brute'),
  saga: traceArea('saga'),
  keep,
  verdict,
  plan,
  journal,
  failure,
  trim,
  location,
  find,
  slug,
  directives,
  trust,
  fingerprint,
  doctor,
}
