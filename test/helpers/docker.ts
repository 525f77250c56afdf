import { execFileSync, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A real Docker engine can be started here: as root, with dockerd installed (`apt-get install docker.io busybox-static`). */
export const dockerIsPossible =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  ['/usr/sbin/dockerd', '/bin/busybox', '/usr/bin/unshare'].every((file) => existsSync(file))

export const testImage = 'yoke-test'

/**
 * Starts an engine of the test's own, in a mount namespace of its own and without a network of its own, so that the machine
 * stays as it is, and makes an image without a registry: busybox, bash, git and what they and the agent are linked to.
 */
export const startDocker = async (agent: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'yd-'))
  const host = `unix://${folder}/docker.sock`
  const flags = [
    '-H',
    host,
    '--data-root',
    `${folder}/data`,
    '--exec-root',
    `${folder}/exec`,
    '--pidfile',
    `${folder}/docker.pid`,
  ]
  const quiet = ['--iptables=false', '--bridge=none', '--ip-forward=false', '--cgroup-parent', '/yoke-test']
  const daemon = spawn(
    '/usr/bin/unshare',
    ['-m', '--propagation', 'private', '--', 'dockerd', ...flags, ...quiet],
    { stdio: 'ignore' },
  )
  const env = { ...process.env, DOCKER_HOST: host }
  const docker = (...args: readonly string[]) =>
    execFileSync('docker', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = async () => {
    daemon.kill()
    for (let tries = 0; tries < 100 && daemon.exitCode === null && daemon.signalCode === null; tries++)
      await sleep(100)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (let tries = 0; ; tries++) {
      try {
        docker('version')
        break
      } catch (error) {
        if (tries > 100) throw error
        await sleep(100)
      }
    }
    const root = join(folder, 'root')
    makeRoot(root, agent)
    execFileSync('sh', ['-c', `tar -C "${root}" -c . | docker import - ${testImage}`], { env, stdio: 'pipe' })
  } catch (error) {
    await stop()
    throw error
  }
  return { host, docker, stop }
}

const makeRoot = (root: string, agent: string): void => {
  for (const folder of ['bin', 'tmp', 'etc', 'usr/bin', 'usr/local/bin', 'root'])
    mkdirSync(join(root, folder), { recursive: true })
  const copy = (file: string, target = file) => {
    mkdirSync(dirname(join(root, target)), { recursive: true })
    copyFileSync(realpathSync(file), join(root, target))
  }
  copy('/bin/busybox', '/bin/busybox')
  for (const applet of ['sh', 'ls', 'cat', 'mkdir', 'rm', 'grep', 'find', 'env', 'id', 'touch', 'sleep'])
    symlinkSync('busybox', join(root, 'bin', applet))
  copy('/bin/bash')
  copy('/usr/bin/git')
  for (const program of ['/bin/bash', '/usr/bin/git', agent])
    for (const [library] of execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/\/\S+/g))
      copy(library)
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
  execFileSync('chmod', ['1777', join(root, 'tmp')])
}
