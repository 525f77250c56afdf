import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { permissive } from '../../scripts/release/check.ts'
import { bundledPackages } from '../../src/licenses.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))
const manifest = read('package.json')

it('names every package by its exact version', () => {
  const { dependencies, devDependencies } = manifest
  const versions = Object.entries<string>({ ...dependencies, ...devDependencies })
  expect(versions.length).toBeGreaterThan(20)
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

it('locks every package with its sum, and with the versions of package.json', () => {
  const { packages } = read('package-lock.json')
  const { '': top, ...others } = packages
  const { version, dependencies, devDependencies } = manifest
  expect(top).toMatchObject({ version, dependencies, devDependencies })
  const locked = Object.entries<{ integrity?: string }>(others)
  expect(locked.length).toBeGreaterThan(50)
  expect(
    locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
  ).toEqual([])
})

it('has no script that an installation would run', () => {
  const names = Object.keys(manifest.scripts)
  const atInstall = [
    'preinstall',
    'install',
    'postinstall',
    'prepublish',
    'preprepare',
    'prepare',
    'postprepare',
  ]
  expect(names.filter((name) => atInstall.includes(name))).toEqual([])
})

it('bundles only what may be passed on with the text of its licence', () => {
  expect(bundledPackages().filter(({ license }) => !permissive.has(license))).toEqual([])
})
