import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from 'kubernetes-types/batch/v1'
import { parse, parseAllDocuments } from 'yaml'

const folder = join(import.meta.dirname, '..', '..', 'scripts', 'deploy')

export const deployText = (file: string): string => readFileSync(join(folder, file), 'utf8')

export type Manifest = { readonly apiVersion: string; readonly kind: string }

/** The objects for Kubernetes, in their order. */
export const manifests = (): readonly Manifest[] =>
  parseAllDocuments(deployText('kubernetes.yaml')).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS()
  })

export const job = (): Job => {
  const found = manifests().find(({ kind }) => kind === 'Job')
  if (found === undefined) throw new Error('there is no Job')
  return found as Job
}

/** What the Job's container runs. */
export const jobCommand = (): readonly string[] => job().spec?.template.spec?.containers[0]?.command ?? []

type Step = { readonly name: string; readonly run?: string; readonly if?: string }

/** The script of a step of the workflow, by the step's name. */
export const workflowScript = (name: string): string => {
  const workflow: { jobs: { brute: { steps: readonly Step[] } } } = parse(deployText('github-actions.yml'))
  const step = workflow.jobs.brute.steps.find((each) => each.name === name)
  if (step?.run === undefined) throw new Error(`there is no step "${name}" that runs something`)
  return step.run
}

type Pipeline = {
  readonly yoke: {
    readonly script: readonly string[]
    readonly retry: { readonly exit_codes: readonly number[] }
  }
}

export const pipeline = (): Pipeline['yoke'] => (parse(deployText('gitlab-ci.yml')) as Pipeline).yoke
