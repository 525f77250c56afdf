import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { lostBeginning, watchSession } from '../../../src/agents/opencode/stored-messages.ts'
import { temporaryFolder } from '../../helpers/temporary.ts'

const opening = '# How you work'
const prompt = `${opening}\n\nYou work unattended.`

/** A store as it was until 1.1: a file a message and a part; of each message role and text. */
const place = async (messages: readonly (readonly [role: string, text: string])[]) => {
  const root = await temporaryFolder()
  const storage = join(root, 'opencode/storage')
  const put = async (path: string, value: unknown) => {
    await mkdir(dirname(join(storage, path)), { recursive: true })
    await writeFile(join(storage, path), JSON.stringify(value))
  }
  const add = async ([role, text]: readonly [string, string], index: number) => {
    const part = { type: 'text', text }
    await put(`message/ses_1/msg_${index}.json`, { role })
    await put(`part/msg_${index}/prt_1.json`, part)
  }
  await put('session/project/ses_1.json', {})
  for (const [index, message] of messages.entries()) await add(message, index)
  return { storage, add, env: { XDG_DATA_HOME: root } }
}

const lost = async (...messages: Parameters<typeof place>[0]) =>
  lostBeginning('ses_1', '', (await place(messages)).env, opening)

it('tells a session of OpenCode that has lost its beginning by what it holds', async () => {
  expect(await lost(['user', prompt], ['assistant', 'Done.'], ['user', 'Go on.'])).toBeUndefined()
  expect(await lost()).toBe("OpenCode's store has lost all messages of the session ses_1")
  expect(await lost(['assistant', 'Done.'], ['user', prompt])).toBe(
    "OpenCode's store has lost the first prompt of the session ses_1",
  )
  expect(await lost(['user', 'Go on.'], ['assistant', 'Done.'])).toBe(
    'The session ses_1 no longer begins with the prompt that it was begun with',
  )
})

it('says nothing of a session that cannot be read, or is not there', async () => {
  const { storage, env } = await place([['user', prompt]])
  await writeFile(join(storage, 'message/ses_1/msg_0.json'), '{')
  expect(await lostBeginning('ses_1', '', env, opening)).toBeUndefined()
  expect(await lostBeginning('ses_2', '', env, opening)).toBeUndefined()
  await writeFile(join(storage, '../opencode.db'), 'no database')
  expect(await lostBeginning('ses_1', '', env, opening)).toBeUndefined()
})

it('tells what a turn has left of a session of OpenCode', async () => {
  const { storage, add, env } = await place([['user', prompt]])
  const nothingAdded = await watchSession('ses_1', '', env)
  expect(await nothingAdded()).toEqual({
    class: 'no-transcript',
    evidence: 'OpenCode stored nothing of this turn in the session ses_1.',
  })
  const added = await watchSession('ses_1', '', env)
  await add(['assistant', 'Done.'], 1)
  expect(await added()).toBeUndefined()
  const cut = await watchSession('ses_1', '', env)
  await rm(join(storage, 'message/ses_1/msg_0.json'))
  expect(await cut()).toMatchObject({ class: 'stale-session' })
})
