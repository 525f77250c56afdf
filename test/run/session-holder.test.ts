import { describe, expect, it } from 'vitest'
import { holderOfSession } from '../../src/run/session-holder.ts'
import { thisProcess } from '../../src/system/lock-file.ts'
import { holdProject } from '../helpers/held-project.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

describe('the yoke that works in a session', () => {
  it('is the one whose run goes on with it next, wherever it is asked for', async () => {
    const [project, other] = [await temporaryFolder(), await temporaryFolder()]
    const run = await holdProject(project, thisProcess(), ['ses_1', 'ses_2'])
    expect(await holderOfSession('ses_2', [other, project])).toMatchObject({ pid: process.pid, run })
    expect(await holderOfSession('ses_1', [other, project])).toBeUndefined()
    expect(await holderOfSession('ses_2', [other])).toBeUndefined()
  })

  it('is none that has ended', async () => {
    const project = await temporaryFolder()
    await holdProject(project, { pid: 2 ** 22 + 1, start: '1' }, ['ses_1'])
    expect(await holderOfSession('ses_1', [project])).toBeUndefined()
  })
})
