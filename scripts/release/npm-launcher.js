#!/usr/bin/env node
// Starts the binary of this platform; where there is none, yoke runs on this Node.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'

const names = {
  linux: [`yoke-linux-${process.arch}`, `yoke-linux-${process.arch}-musl`],
  darwin: [`yoke-darwin-${process.arch}`],
  win32: [`yoke-windows-${process.arch}`],
}[process.platform]

const binary = () => {
  const { resolve } = createRequire(import.meta.url)
  for (const name of names ?? []) {
    try {
      return resolve(`${name}/bin/yoke${process.platform === 'win32' ? '.exe' : ''}`)
    } catch {
      // npm installs the package of this platform only, or none of them with --omit=optional.
    }
  }
  return undefined
}

const file = binary()
if (file === undefined) await import('../cli/start.js')
else {
  const child = spawn(file, process.argv.slice(2), { stdio: 'inherit' })
  // A terminal sends a signal to both; one that was sent to this process alone is handed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (!process.stdin.isTTY) child.kill(signal)
    })
  child.on('error', (error) => {
    console.error(`yoke: ${file} cannot be started: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code ?? 1
    else {
      for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(each)
      process.kill(process.pid, signal)
    }
  })
}
