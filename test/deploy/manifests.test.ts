import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeCommands } from '../../src/commands/describe.ts'
import { exitCode } from '../../src/errors.ts'
import {
  deployText,
  job,
  jobCommand,
  type Manifest,
  manifests,
  pipeline,
  workflowScript,
} from '../helpers/deploy.ts'
import { temporaryFolder } from '../helpers/temporary.ts'

const root = join(import.meta.dirname, '..', '..')

/** Another start ends in the same: a person has to do something first. */
const final = [exitCode.usage, exitCode.limit, exitCode.blocked, exitCode.agentFailing]

/** What the compiler says of the manifests as objects of the API's types: of a wrong value, and of a key that is none. */
const complaints = async (objects: readonly Manifest[]): Promise<string> => {
  const folder = await temporaryFolder()
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const lines = objects.map(
    (each, index) =>
      `export const o${index}: import('kubernetes-types/${each.apiVersion === 'v1' ? 'core/v1' : each.apiVersion}').${each.kind} = ${JSON.stringify(each)}\n`,
  )
  writeFileSync(join(folder, 'objects.ts'), lines.join(''))
  const { stdout } = spawnSync(
    join(root, 'node_modules', '.bin', 'tsc'),
    ['--noEmit', '--strict', '--module', 'nodenext', 'objects.ts'],
    { cwd: folder, encoding: 'utf8' },
  )
  return stdout
}

describe('the manifests for Kubernetes', () => {
  it('are objects of the API, and have no key that it does not know', async () => {
    expect(manifests().map(({ kind }) => kind)).toEqual(['PersistentVolumeClaim', 'Job'])
    expect(await complaints(manifests())).toBe('')
  })

  it.each([
    ['onExitCodes', 'onExitcodes'],
    ['hostname', 'hostName'],
  ])('would be refused with %s misspelt as %s', async (right, wrong) => {
    const text = JSON.stringify(manifests())
    expect(text).toContain(`"${right}"`)
    expect(await complaints(JSON.parse(text.replace(`"${right}"`, `"${wrong}"`)))).toContain(wrong)
  })

  it('give up for what another start would end in as well, and for nothing else', () => {
    const rules = job().spec?.podFailurePolicy?.rules
    expect(rules).toMatchObject([
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      { action: 'FailJob', onExitCodes: { containerName: 'yoke', operator: 'In', values: final } },
    ])
    // The API server takes a policy only with this.
    expect(job().spec?.template.spec?.restartPolicy).toBe('Never')
  })

  it('keep what a run stands on, and the name of the host, from pod to pod', () => {
    const { hostname, containers, initContainers = [], volumes } = job().spec?.template.spec ?? {}
    expect(hostname).toBeTruthy()
    const [claim] = manifests()
    expect(volumes).toEqual([{ name: 'work', persistentVolumeClaim: { claimName: 'yoke' } }])
    expect(claim).toMatchObject({ metadata: { name: 'yoke' }, spec: { accessModes: ['ReadWriteOncePod'] } })
    for (const { env, volumeMounts } of [...(containers ?? []), ...initContainers]) {
      expect(volumeMounts).toEqual([{ name: 'work', mountPath: '/work' }])
      expect(env).toContainEqual({ name: 'HOME', value: '/work/home' })
    }
  })

  it.skipIf(!existsSync('/usr/bin/kubectl'))('are taken by the dry run of kubectl', async () => {
    const { KUBECONFIG: _, ...env } = process.env
    const { stdout } = await promisify(execFile)(
      '/usr/bin/kubectl',
      [
        ...['--server', await apiServer(), 'create', '--dry-run=client', '--validate=false'],
        ...['-f', join(root, 'scripts/deploy/kubernetes.yaml')],
      ],
      { env: { ...env, HOME: await temporaryFolder() }, encoding: 'utf8' },
    )
    expect(stdout).toBe('persistentvolumeclaim/yoke created (dry run)\njob.batch/yoke created (dry run)\n')
  })
})

/** Tells which kinds there are, as the API server of a cluster does: kubectl asks for that even in a dry run. */
const apiServer = async (): Promise<string> => {
  const resource = (name: string, kind: string) => ({
    name,
    kind,
    namespaced: true,
    singularName: '',
    verbs: ['create'],
  })
  const batch = { groupVersion: 'batch/v1', version: 'v1' }
  const answers: Readonly<Record<string, unknown>> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [{ name: 'batch', versions: [batch], preferredVersion: batch }],
    },
    '/api/v1': {
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [resource('persistentvolumeclaims', 'PersistentVolumeClaim')],
    },
    '/apis/batch/v1': {
      kind: 'APIResourceList',
      groupVersion: 'batch/v1',
      resources: [resource('jobs', 'Job')],
    },
  }
  const server = createServer(({ url = '' }, response) => {
    const answer = answers[url.split('?')[0] ?? '']
    response.writeHead(answer === undefined ? 404 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the exit codes', () => {
  /** Runs the last step of the workflow behind a run that ended with this code; `gh` keeps what it was asked for. */
  const ended = async (code: string) => {
    const folder = await temporaryFolder()
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin', 'gh'), `#!/bin/sh\necho "$@" > '${folder}/asked'\n`)
    chmodSync(join(folder, 'bin', 'gh'), 0o755)
    const { status, stdout } = spawnSync('bash', ['-eo', 'pipefail', '-c', workflowScript('Go on, or end')], {
      env: {
        PATH: `${folder}/bin:/usr/bin:/bin`,
        CODE: code,
        GITHUB_REPOSITORY: 'me/it',
        GITHUB_REF_NAME: 'main',
      },
      encoding: 'utf8',
    })
    const asked = join(folder, 'asked')
    return { status, stdout, asked: existsSync(asked) ? readFileSync(asked, 'utf8').trim() : undefined }
  }

  it('end the workflow where a person has to do something', async () => {
    expect(await ended('0')).toMatchObject({ status: 0, asked: undefined })
    for (const code of final)
      expect(await ended(String(code))).toMatchObject({
        status: code,
        asked: undefined,
        stdout: expect.stringContaining('::error::'),
      })
    expect(await ended('')).toMatchObject({ status: 1, stdout: expect.stringContaining('no exit code') })
  })

  it.each(['130', '137', '143'])('start the next slice of the workflow after %s', async (code) => {
    expect(await ended(code)).toEqual({
      status: 0,
      stdout: '',
      asked: 'workflow run yoke.yml --repo me/it --ref main',
    })
  })

  it('are those after which GitLab starts the job again', () => {
    const { exit_codes: again } = pipeline().retry
    expect(again).toEqual([exitCode.failed, 137, exitCode.terminated])
    expect(again.filter((code) => final.some((each) => each === code))).toEqual([])
  })
})

it('start yoke with options that it has', async () => {
  const brute = (await describeCommands()).find(({ name }) => name === 'brute')
  const known = brute?.options.flatMap(({ names }) => names) ?? []
  const lines = [jobCommand().join(' '), workflowScript('Work'), pipeline().script.join('\n')]
  for (const line of lines) {
    const [, words = ''] = /yoke brute ([^|\n]*(?:\\\n[^|\n]*)*)/.exec(line) ?? []
    const flags = words.match(/(?<!\S)--[a-z-]+/g) ?? []
    expect(flags).toContain('--resume')
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([])
  }
  expect(deployText('Dockerfile')).toContain('COPY yoke /usr/local/bin/yoke')
})
