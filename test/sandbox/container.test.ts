import { describe, expect, it } from 'vitest'
import { type Container, runArguments } from '../../src/sandbox/container.ts'
import { identityArguments, isRootInside } from '../../src/sandbox/identity.ts'
import { remoteAddress } from '../../src/sandbox/remote.ts'
import { complaintIn } from '../../src/sandbox/run-engine.ts'
import { handedOnNames, setVariables } from '../../src/sandbox/variables.ts'

const container: Container = {
  image: 'node:22',
  name: 'yoke-1',
  labels: { 'yoke.run': 'r' },
  identity: ['--user', '1000:1000'],
  mounts: [],
  variables: ['HOME=/tmp', 'ANTHROPIC_API_KEY'],
  cwd: '/p',
  entrypoint: 'claude',
  args: ['--print'],
  limits: { readOnlyRoot: false },
  pull: 'never',
  init: true,
  labelled: true,
}
const argumentsOf = (more: Partial<Container> = {}) => runArguments({ ...container, ...more })
const after = (args: readonly string[], flag: string) =>
  args.flatMap((each, index) => (args[index - 1] === flag ? [each] : []))

describe('the command line of a container', () => {
  it('is this, for the plainest one', () => {
    expect(argumentsOf().join(' ')).toBe(
      'run --rm --interactive --pull=never --init --name yoke-1 --label yoke.run=r --user 1000:1000 --cap-drop ALL --security-opt no-new-privileges --env HOME=/tmp --env ANTHROPIC_API_KEY --workdir /p --entrypoint claude node:22 --print',
    )
  })

  it.each([
    ['/plain', 'type=bind,source=/plain,target=/plain'],
    ['/with space', 'type=bind,source=/with space,target=/with space'],
    ['/a:b', 'type=bind,source=/a:b,target=/a:b'],
    ['/a,b', 'type=bind,"source=/a,b","target=/a,b"'],
    ['/a"b', 'type=bind,"source=/a""b","target=/a""b"'],
    ['/ünïcode', 'type=bind,source=/ünïcode,target=/ünïcode'],
  ])('mounts %s', (path, expected) => {
    const args = argumentsOf({ mounts: [{ source: path, target: path, readonly: false }] })
    expect(after(args, '--mount')).toEqual([expected])
  })

  it('limits what it is told to limit', () => {
    const args = argumentsOf({
      limits: { memory: '2g', cpus: 1.5, pids: 100, network: 'none', readOnlyRoot: true },
    })
    expect(args.join(' ')).toContain(
      '--memory 2g --cpus 1.5 --pids-limit 100 --network none --read-only --tmpfs /tmp:exec',
    )
  })
})

describe('the ids in the container', () => {
  const docker = { name: 'docker', rootless: false, remapped: false, selinux: false } as const
  const podman = { name: 'podman', rootless: false, remapped: false, selinux: false } as const
  it.each([
    ['docker', docker, 1000, ['--user', '1000:100'], false],
    ['docker as root', docker, 0, ['--user', '0:100'], true],
    [
      'docker with remapped ids',
      { ...docker, remapped: true },
      1000,
      ['--userns=host', '--user', '1000:100'],
      false,
    ],
    ['rootless docker', { ...docker, rootless: true }, 1000, [], true],
    ['podman', podman, 1000, ['--user', '1000:100'], false],
    ['rootless podman', { ...podman, rootless: true }, 1000, ['--userns=keep-id'], false],
  ])("are the user's own with %s", (_name, engine, uid, expected, root) => {
    expect(identityArguments(engine, { uid, gid: 100 })).toEqual(expected)
    expect(isRootInside(engine, { uid, gid: 100 })).toBe(root)
  })
})

describe('the variables of the container', () => {
  it('are those of the provider and those that are named, no others', () => {
    const env = {
      ANTHROPIC_API_KEY: 'k',
      HOME: '/h',
      PATH: '/b',
      SECRET: 's',
      MY: 'm',
      CLAUDE_CODE_MAX_RETRIES: '1',
      UNSET: undefined,
    }
    expect(handedOnNames(env, ['MY', 'NEW=1'])).toEqual([
      'ANTHROPIC_API_KEY',
      'CLAUDE_CODE_MAX_RETRIES',
      'MY',
      'NEW',
    ])
    expect(setVariables(['MY', 'NEW=1', 'E=a=b'])).toEqual({ NEW: '1', E: 'a=b' })
  })
})

describe('what an engine complains about', () => {
  it.each([
    [
      'invalid argument "lots" for "--memory" flag: invalid size: \'lots\'\n\nUsage:  docker run [OPTIONS] IMAGE\n\nRun \'docker run --help\' for more information',
      'invalid argument "lots" for "--memory" flag: invalid size: \'lots\'',
    ],
    [
      "WARNING: Your kernel does not support swap limit.\ndocker: Error response from daemon: network no-such not found.\nSee 'docker run --help'.",
      'Error response from daemon: network no-such not found',
    ],
    ['Trying to pull x\nsomething else', 'something else'],
    ['', ''],
  ])('is one line: %j', (text, line) => {
    expect(complaintIn(text)).toBe(line)
  })
})

describe('an engine of another machine', () => {
  it.each([
    ['unix:///var/run/docker.sock', undefined],
    ['npipe:////./pipe/docker_engine', undefined],
    ['tcp://127.0.0.1:2375', undefined],
    ['tcp://[::1]:2375', undefined],
    ['ssh://core@127.0.0.1:50123/run/podman/podman.sock', undefined],
    ['', undefined],
    ['localhost:2375', undefined],
    ['127.0.0.1', undefined],
    ['fd://', undefined],
    ['build.example:2375', 'tcp://build.example:2375'],
    ['tcp://build.example:2376', 'tcp://build.example:2376'],
    ['ssh://me@build.example', 'ssh://build.example'],
  ])('is told by its address: %s', (address, remote) => {
    expect(remoteAddress(address)).toBe(remote)
  })
})
