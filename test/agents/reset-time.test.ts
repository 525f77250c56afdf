import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resetTime } from '../../src/agents/reset-time.ts'

const read = (message: string, now: string, zone = 'UTC') => {
  const at = resetTime(message, Date.parse(now), zone)
  return at === undefined ? undefined : new Date(at).toISOString()
}

describe('the reset time of a limit', () => {
  it.each([
    // Forms that users saw, in the zone that they name.
    [
      "You've hit your limit · resets 5pm (Europe/Vilnius)",
      '2026-07-14T10:00:00Z',
      '2026-07-14T14:00:00.000Z',
    ],
    [
      "You've hit your limit · resets 5pm (Europe/Vilnius)",
      '2026-12-14T10:00:00Z',
      '2026-12-14T15:00:00.000Z',
    ],
    [
      "You've hit your session limit · resets 6:30pm (Australia/Melbourne)",
      '2026-07-14T10:00:00Z',
      '2026-07-15T08:30:00.000Z',
    ],
    [
      "You've hit your weekly limit · resets Jul 15 at 12am (Australia/Melbourne)",
      '2026-07-12T10:00:00Z',
      '2026-07-14T14:00:00.000Z',
    ],
    [
      'Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).',
      '2026-07-14T09:59:00Z',
      '2026-07-14T10:00:00.000Z',
    ],
    ['Claude AI usage limit reached|1796200000', '2026-07-14T10:00:00Z', '2026-12-02T08:26:40.000Z'],
    [
      "You've hit your Opus limit · resets Oct 9, 5:59am (UTC)",
      '2026-10-05T00:00:00Z',
      '2026-10-09T05:59:00.000Z',
    ],
    [
      "You've hit your weekly limit · resets Mar 3, 2027 at 8pm (America/New_York)",
      '2026-12-31T00:00:00Z',
      '2027-03-04T01:00:00.000Z',
    ],
    [
      'spend limit reached · resets Aug 8 · request an increase',
      '2026-08-01T00:00:00Z',
      '2026-08-08T00:00:00.000Z',
    ],
    // Half hours, and a day that is another one over there.
    ['resets 12:30am (Asia/Kolkata)', '2026-07-14T10:00:00Z', '2026-07-14T19:00:00.000Z'],
    ['resets 12pm (Pacific/Kiritimati)', '2026-07-14T10:00:00Z', '2026-07-14T22:00:00.000Z'],
    ['resets 17:00 (UTC)', '2026-07-14T10:00:00Z', '2026-07-14T17:00:00.000Z'],
    ['RESETS 5 PM (UTC)', '2026-07-14T10:00:00Z', '2026-07-14T17:00:00.000Z'],
    // Over the end of a month and of a year.
    ['resets 1am (UTC)', '2026-12-31T23:00:00Z', '2027-01-01T01:00:00.000Z'],
    ['resets Jan 2 at 3pm (UTC)', '2026-12-30T00:00:00Z', '2027-01-02T15:00:00.000Z'],
    // Just passed: the caller sees that nothing is left to wait for.
    ['resets Jul 15 at 12am (UTC)', '2026-07-15T00:10:00Z', '2026-07-15T00:00:00.000Z'],
    // The clocks change between now and then: on 2026-10-25 in Berlin, on 2026-03-08 in New York.
    ['resets 3am (Europe/Berlin)', '2026-10-24T22:00:00Z', '2026-10-25T02:00:00.000Z'],
    ['resets 4am (America/New_York)', '2026-03-08T05:00:00Z', '2026-03-08T08:00:00.000Z'],
    // 2:30 does not exist that night in New York: an hour later, never earlier.
    ['resets 2:30am (America/New_York)', '2026-03-08T05:00:00Z', '2026-03-08T07:30:00.000Z'],
  ])('in "%s" at %s is %s', (message, now, expected) => {
    expect(read(message, now)).toBe(expected)
  })

  it('is in the zone of the machine when the message names none, or one that the system does not know', () => {
    expect(read('resets 5pm', '2026-07-14T10:00:00Z', 'Asia/Tokyo')).toBe('2026-07-15T08:00:00.000Z')
    expect(read('resets 5pm (Middle/Earth)', '2026-07-14T10:00:00Z', 'UTC')).toBe('2026-07-14T17:00:00.000Z')
  })

  it.each([
    'API Error: Request rejected (429)',
    'the limit resets soon',
    'resets',
    'resets 25:00 (UTC)',
    'presets 5pm',
    '',
  ])('is not made up from "%s"', (message) => {
    expect(read(message, '2026-07-14T10:00:00Z')).toBeUndefined()
  })

  it('is within the next 25 hours when only the time of day is given, in every zone and at every instant', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'Asia/Kathmandu',
    ]
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2030, 0) }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom('am', 'pm'),
        fc.constantFrom(...zones),
        (now, hour, half, zone) => {
          const wait = (resetTime(`resets ${hour}${half} (${zone})`, now, 'UTC') ?? 0) - now
          return wait > 0 && wait <= 25 * 3_600_000
        },
      ),
    )
  })
})
