import type { Area } from './area.ts'
import { brief } from './areas/brief.ts'
import { brute } from './areas/brute.ts'
import { commit } from './areas/commit.ts'
import { directives } from './areas/directives.ts'
import { doctor } from './areas/doctor.ts'
import { failure } from './areas/failure.ts'
import { find } from './areas/find.ts'
import { fingerprint } from './areas/fingerprint.ts'
import { folder } from './areas/folder.ts'
import { fork } from './areas/fork.ts'
import { invocation } from './areas/invocation.ts'
import { journal } from './areas/journal.ts'
import { keep } from './areas/keep.ts'
import { location } from './areas/location.ts'
import { lock } from './areas/lock.ts'
import { plan } from './areas/plan.ts'
import { sandbox } from './areas/sandbox.ts'
import { slug } from './areas/slug.ts'
import { steering } from './areas/steering.ts'
import { traceArea } from './areas/trace.ts'
import { trim } from './areas/trim.ts'
import { trust } from './areas/trust.ts'
import { verdict } from './areas/verdict.ts'
import { verify } from './areas/verify.ts'

/** Every area that has cases, in the order of the specification. */
export const areas: Readonly<Record<string, Area>> = {
  invocation,
  brief,
  brute,
  fork,
  loop: traceArea('brute'),
  periodics: traceArea('brute'),
  saga: traceArea('saga'),
  steering,
  keep,
  verdict,
  plan,
  folder,
  journal,
  lock,
  failure,
  trim,
  verify,
  commit,
  location,
  find,
  slug,
  directives,
  trust,
  fingerprint,
  doctor,
  sandbox,
}
