import { execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const hasAll = (...files: readonly string[]): boolean =>
  process.platform === 'linux' && process.getuid?.() === 0 && files.every((file) => existsSync(file))

/** A real Docker engine can be started here: as root, with dockerd installed (`apt-get install docker.io busybox-static`). */
export const dockerIsPossible = hasAll('/usr/sbin/dockerd', '/bin/busybox', '/usr/bin/unshare')

/** `apt-get install podman runc netavark busybox-static`. */
export const podmanIsPossible = hasAll('/usr/bin/podman', '/usr/sbin/runc', '/bin/busybox')

/** The same, and `uidmap`. */
export const rootlessIsPossible = podmanIsPossible && hasAll('/usr/bin/newuidmap', '/usr/bin/setpriv')

/** Has bash and git; its entrypoint would keep every program from starting. */
export const testImage = 'yoke-test'

/** Has a shell, which is not one that Claude Code can use. */
export const bareImage = 'yoke-bare'

/** Has no program at all. */
export const emptyImage = 'yoke-empty'

export type TestEngine = {
  /** What makes a client find it. */
  readonly env: Readonly<Record<string, string>>
  /** Asks its client. */
  readonly ask: (...args: readonly string[]) => string
  readonly stop: () => Promise<void>
}

/**
 * Starts an engine of the test's own, in a mount namespace of its own and without a network of its own, so that the machine
 * stays as it is, and makes images without a registry: busybox, bash, git and what they and the agents are linked to.
 */
export const startDocker = async (
  agents: readonly string[],
  { remapped = false }: { readonly remapped?: boolean } = {},
): Promise<TestEngine> => {
  const folder = mkdtempSync(join(tmpdir(), 'yd-'))
  const host = `unix://${folder}/docker.sock`
  const flags = [
    ...['-H', host, '--data-root', `${folder}/data`, '--exec-root', `${folder}/exec`],
    ...['--pidfile', `${folder}/docker.pid`],
    ...['--iptables=false', '--bridge=none', '--ip-forward=false', '--cgroup-parent', '/yoke-test'],
  ]
  const begin = ['-m', '--propagation', 'private', '--']
  const daemon = spawn(
    '/usr/bin/unshare',
    remapped ? [...begin, 'sh', '-c', remapScript, folder, ...flags] : [...begin, 'dockerd', ...flags],
    { stdio: 'ignore' },
  )
  // The package has no builder but the first one.
  const env = { DOCKER_HOST: host, DOCKER_BUILDKIT: '0' }
  const ask = asker(['docker'], env)
  const stop = async () => {
    daemon.kill()
    for (let tries = 0; tries < 100 && daemon.exitCode === null && daemon.signalCode === null; tries++)
      await sleep(100)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await answer(ask)
  } catch (error) {
    await stop()
    throw error
  }
  return withImages({ env, ask, stop }, ['docker'], folder, agents)
}

/** Podman needs no daemon: storage of the test's own, and limits that a machine without all capabilities can set. */
export const startPodman = async (agents: readonly string[]): Promise<TestEngine> => {
  const folder = mkdtempSync(join(tmpdir(), 'yp-'))
  const env = configurePodman(folder)
  const ask = asker(['podman'], env)
  const stop = async () => {
    ask('rm', '--all', '--force')
    rmSync(folder, { recursive: true, force: true })
  }
  return withImages({ env, ask, stop }, ['podman'], folder, agents)
}

/** As a user that is not root runs Podman; the machine's own table of ids stays as it is. */
export const startRootlessPodman = async (
  agents: readonly string[],
): Promise<TestEngine & { readonly as: readonly string[] }> => {
  const folder = mkdtempSync(join(tmpdir(), 'yr-'))
  const home = join(folder, 'home')
  for (const own of [home, join(folder, 'tmp'), join(folder, 'run'), join(folder, 'data')]) mkdirSync(own)
  const env = {
    ...configurePodman(folder),
    HOME: home,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    // Without root its storage is there, whatever its configuration says.
    XDG_DATA_HOME: join(home, 'data'),
  }
  execFileSync('chown', ['-R', `${ordinaryUser}:${ordinaryUser}`, folder])
  const as = ['/usr/bin/unshare', '-m', '--propagation', 'private', '--', 'sh', '-c', userScript, folder]
  const ask = asker([...as, 'podman'], env)
  const stop = async () => {
    ask('rm', '--all', '--force')
    for (const file of execFileSync('find', [folder, '-name', 'pause.pid'], { encoding: 'utf8' }).split('\n'))
      if (file !== '') process.kill(Number(readFileSync(file, 'utf8')))
    rmSync(folder, { recursive: true, force: true })
  }
  return { ...(await withImages({ env, ask, stop }, [...as, 'podman'], folder, agents)), as }
}

/** `daemon`, who is on every Debian. */
export const ordinaryUser = 1

const tables = (from: string): string => `
for table in subuid subgid; do
  echo daemon:${from}:65536 > "$0/$table"
  [ -e /etc/$table ] || touch /etc/$table
  mount --bind "$0/$table" /etc/$table || exit 1
done
chmod 711 "$0"`

/** Ids of containers are others on the host (`userns-remap`); the machine's own table of ids stays as it is. */
const remapScript = `${tables('200000')}
exec dockerd --userns-remap=daemon "$@"`

const userScript = `${tables('300000')}
exec setpriv --reuid=${ordinaryUser} --regid=${ordinaryUser} --clear-groups "$@"`

const configurePodman = (folder: string) => {
  const env = {
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  }
  writeFileSync(
    env.CONTAINERS_CONF,
    [
      '[containers]',
      'default_ulimits = ["nofile=20000:20000", "nproc=32768:32768"]',
      '[engine]',
      'runtime = "runc"',
      'cgroup_manager = "cgroupfs"',
      'events_logger = "file"',
      `tmp_dir = "${folder}/tmp"`,
    ].join('\n'),
  )
  writeFileSync(
    env.CONTAINERS_STORAGE_CONF,
    `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/data"\nrunroot = "${folder}/run"\n`,
  )
  return env
}

const withImages = async (
  engine: TestEngine,
  client: readonly string[],
  folder: string,
  agents: readonly string[],
): Promise<TestEngine> => {
  try {
    makeImages(client, engine.env, folder, agents)
  } catch (error) {
    await engine.stop()
    throw error
  }
  return engine
}

const asker =
  ([file = '', ...before]: readonly string[], env: Readonly<Record<string, string>>): TestEngine['ask'] =>
  (...args) =>
    execFileSync(file, [...before, ...args], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })

const answer = async (ask: TestEngine['ask']): Promise<void> => {
  for (let tries = 0; ; tries++) {
    try {
      ask('version')
      return
    } catch (error) {
      if (tries > 100) throw error
      await sleep(100)
    }
  }
}

const makeImages = (
  client: readonly string[],
  env: Readonly<Record<string, string>>,
  folder: string,
  agents: readonly string[],
): void => {
  const root = join(folder, 'root')
  mkdirSync(join(root, 'tmp'), { recursive: true })
  execFileSync('chmod', ['1777', join(root, 'tmp')])
  const load = (image: string, ...change: readonly string[]) =>
    importFolder(client, env, root, image, ...change)
  load(emptyImage)
  addBusybox(root)
  load(bareImage)
  addPrograms(root, agents)
  load(testImage, '--change', 'ENTRYPOINT ["/bin/no-such-program"]')
}

const importFolder = (
  client: readonly string[],
  env: Readonly<Record<string, string>>,
  root: string,
  image: string,
  ...change: readonly string[]
): void => {
  execFileSync('sh', ['-c', 'tar -C "$0" -c . | "$@"', root, ...client, 'import', ...change, '-', image], {
    env: { ...process.env, ...env },
    stdio: 'pipe',
  })
}

/** An image with the Node and the npm of this machine, for a Dockerfile that begins with one of them. */
export const importNodeImage = (engine: TestEngine, image: string, agents: readonly string[]): void => {
  const root = mkdtempSync(join(tmpdir(), 'yn-'))
  try {
    mkdirSync(join(root, 'tmp'), { mode: 0o777 })
    addBusybox(root)
    addPrograms(root, [process.execPath, ...agents])
    for (const folder of ['usr/bin', 'usr/lib']) mkdirSync(join(root, folder), { recursive: true })
    copyFileSync(process.execPath, join(root, 'usr/bin/node'))
    symlinkSync('/bin/busybox', join(root, 'usr/bin/env'))
    const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim())
    cpSync(dirname(dirname(npm)), join(root, 'usr/lib/npm'), { recursive: true })
    symlinkSync('../lib/npm/bin/npm-cli.js', join(root, 'usr/bin/npm'))
    // A machine behind a proxy has certificates of its own.
    const certificates = process.env['NODE_EXTRA_CA_CERTS']
    if (certificates !== undefined) copyInto(root, certificates)
    const variables = {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ...(certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates }),
    }
    const change = Object.entries(variables).flatMap(([name, value]) => ['--change', `ENV ${name}=${value}`])
    importFolder(['docker'], engine.env, root, image, ...change)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const copyInto = (root: string, file: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  copyFileSync(realpathSync(file), join(root, file))
}

const applets = [
  'sh',
  'ls',
  'cat',
  'mkdir',
  'rm',
  'grep',
  'find',
  'env',
  'id',
  'touch',
  'sleep',
  'wc',
  'test',
]

const addBusybox = (root: string): void => {
  copyInto(root, '/bin/busybox')
  for (const applet of applets) symlinkSync('busybox', join(root, 'bin', applet))
}

const addPrograms = (root: string, agents: readonly string[]): void => {
  for (const folder of ['etc', 'usr/local/bin', 'root']) mkdirSync(join(root, folder), { recursive: true })
  for (const program of ['/bin/bash', '/usr/bin/git']) copyInto(root, program)
  for (const program of ['/bin/bash', '/usr/bin/git', ...agents])
    for (const [library] of execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/\/\S+/g))
      copyInto(root, library)
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
}
