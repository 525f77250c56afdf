import { spawn } from 'node:child_process'

type Env = Readonly<Record<string, string | undefined>>

/** What holds off the sleep of a machine for as long as its standard input is open: it ends with yoke, however yoke ends. */
const inhibitors: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    ...['systemd-inhibit', '--what=idle:sleep', '--who=yoke', '--why=A coding agent works', '--mode=block'],
    'cat',
  ],
  darwin: ['sh', '-c', 'caffeinate -i -w $$ & exec cat'],
  win32: [
    ...['powershell', '-NoProfile', '-NonInteractive', '-Command'],
    `$k = Add-Type -PassThru -Name Power -Namespace Yoke -MemberDefinition '[DllImport("kernel32.dll")] public static extern uint SetThreadExecutionState(uint flags);'; [void]$k::SetThreadExecutionState(2147483649); [void][Console]::In.ReadToEnd()`,
  ],
}

/**
 * Keeps the machine from going to sleep by itself until the returned function is called. A machine that has nothing for it, or
 * refuses, sleeps when it wants to: that stops no run.
 */
export const keepAwake = (env: Env, platform: NodeJS.Platform = process.platform): (() => void) => {
  const [file, ...args] = inhibitors[platform] ?? []
  if (file === undefined) return () => undefined
  const child = spawn(file, args, { env: { ...env }, stdio: ['pipe', 'ignore', 'ignore'], windowsHide: true })
  // A signal from the terminal must not end it before yoke ends, and it must not keep yoke from ending.
  child.on('error', () => undefined)
  child.stdin?.on('error', () => undefined)
  child.unref()
  return () => void child.stdin?.end()
}
