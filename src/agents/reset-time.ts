/**
 * When a usage limit is over, in milliseconds since the epoch, read from the words of the CLI: "resets 5pm
 * (Europe/Vilnius)", "resets Jul 15 at 12am (Australia/Melbourne)", "Your limit will reset at 7pm (Asia/Tokyo)", or
 * "...|<epoch seconds>". A time without a date is the next one after `now`. `zone` is used where the message names
 * none, or one that the system does not know.
 */
export const resetTime = (message: string, now: number, zone: string): number | undefined => {
  const epoch = /\|(\d{10})(?!\d)/.exec(message)?.[1]
  if (epoch !== undefined) return Number(epoch) * 1000
  const match = form.exec(message)
  if (match?.groups === undefined) return undefined
  const { month, day, year, hour, minute, half, zone: named } = match.groups
  if (hour === undefined && day === undefined) return undefined
  const where = named !== undefined && isZone(named) ? named : zone
  const today = wallClock(now, where)
  const time = { hour: hourOf(Number(hour ?? 0), half), minute: Number(minute ?? 0) }
  if (time.hour > 23 || time.minute > 59) return undefined
  if (month === undefined) {
    const at = instant({ ...today, ...time }, where)
    return at > now ? at : instant({ ...today, ...time, day: today.day + 1 }, where)
  }
  const date = { month: months.indexOf(month.toLowerCase()) + 1, day: Number(day) }
  const at = instant({ year: Number(year ?? today.year), ...date, ...time }, where)
  // "resets Jan 2" said in December is in the next year; a date that has just passed is not a year away.
  return year === undefined && now - at > halfYearMs
    ? instant({ year: today.year + 1, ...date, ...time }, where)
    : at
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const form = new RegExp(
  [
    String.raw`\bresets?\s+(?:on\s+|at\s+)?`,
    String.raw`(?:(?<month>${months.join('|')})[a-z]*\.?\s+(?<day>\d{1,2})(?:,?\s+(?<year>\d{4}))?(?:,?\s+at\s+|,\s*|\s+)?)?`,
    String.raw`(?:(?<hour>\d{1,2})(?::(?<minute>\d{2}))?\s*(?<half>[ap]\.?m\b)?)?`,
    String.raw`(?:\s*\((?<zone>[A-Za-z0-9_+/-]+)\))?`,
  ].join(''),
  'i',
)

const halfYearMs = 183 * 86_400_000

const hourOf = (hour: number, half: string | undefined): number =>
  half === undefined ? hour : (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0)

type WallClock = {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const wallClock = (at: number, zone: string): WallClock => {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  }).formatToParts(at)
  const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value)
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
  }
}

const asUtc = ({ year, month, day, hour, minute }: WallClock): number =>
  Date.UTC(year, month - 1, day, hour, minute)

/**
 * The instant at which clocks in `zone` show this time. The offset at the guess may differ from the one at the answer, so it is
 * taken twice. A time that a change to summer time leaves out comes out an hour later, never earlier.
 */
const instant = (wall: WallClock, zone: string): number => {
  const wanted = asUtc(wall)
  const offset = (at: number): number => asUtc(wallClock(at, zone)) - Math.floor(at / 60_000) * 60_000
  const first = wanted - offset(wanted)
  const second = wanted - offset(first)
  return asUtc(wallClock(second, zone)) === wanted ? second : Math.max(first, second)
}
