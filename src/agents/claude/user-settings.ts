import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { Installation } from '../agent.ts'
import { configFolder } from './session-file.ts'

/**
 * Settings of the user that a role without settings still needs: how to reach the provider (measured on 2.1.332: a login by
 * `apiKeyHelper` is lost without it), which model, and for how long old sessions are kept, since every start sweeps them.
 */
const kept = [
  'apiKeyHelper',
  'awsAuthRefresh',
  'awsCredentialExport',
  'gcpAuthRefresh',
  'forceLoginMethod',
  'forceLoginOrgUUID',
  'availableModels',
  'model',
  'modelOverrides',
  'cleanupPeriodDays',
] as const

const SettingsSchema = v.looseObject({ env: v.optional(v.record(v.string(), v.string()), {}) })

/** Reads them from the user's `settings.json`. One that is missing or damaged counts as empty, as the CLI itself sees it. */
export const userSettings = async (
  env: Readonly<Record<string, string | undefined>>,
): Promise<Pick<Installation, 'settings' | 'env'>> => {
  const text = await readFile(join(configFolder(env), 'settings.json'), 'utf8').catch(() => '{}')
  const settings = v.safeParse(SettingsSchema, parseJson(text))
  if (!settings.success) return { env: {}, settings: {} }
  const { output } = settings
  return {
    env: output.env,
    settings: Object.fromEntries(kept.filter((key) => key in output).map((key) => [key, output[key]])),
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
