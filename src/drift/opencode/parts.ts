import { isJson, type Json, type TakePart } from '../parts.ts'

/** What a message of an export is handed to the fingerprint as: `version` is the release that began the session. */
export type MessageRecord = { readonly type: string; readonly version: string } & Json

/** The records of an export: the session itself, then one for each message. Empty when it is no export. */
export const recordsOf = (exported: unknown): readonly MessageRecord[] => {
  if (!isJson(exported)) return []
  const { info, messages } = exported
  const version = isJson(info) && typeof info['version'] === 'string' ? info['version'] : ''
  const rows = Array.isArray(messages) ? messages : []
  return [
    { type: 'session', version, export: exported },
    ...rows.map((message, index) => ({ type: 'message', version, message, index })),
  ]
}

/** Hands over the objects of one record that a format describes. Inputs, outputs and metadata of tools have no format and are left out. */
export const eachPart = (record: Json, take: TakePart): void => {
  const { export: exported, message, index } = record
  if (isJson(exported)) {
    take('export', exported, '')
    takeObject('session', exported['info'], 'info', take)
    return
  }
  const path = `messages[${index}]`
  if (!isJson(message)) return
  take('message', message, path)
  const { info, parts } = message
  if (!isJson(info)) return
  const role = nameOf(info['role'])
  take(role, info, `${path}.info`)
  takeObject(`${role}.time`, info['time'], `${path}.info.time`, take)
  takeObject(`${role}.tokens`, info['tokens'], `${path}.info.tokens`, take)
  if (!Array.isArray(parts)) return
  for (const [place, part] of parts.entries()) takePart(role, part, `${path}.parts[${place}]`, take)
}

const takePart = (role: string, part: unknown, path: string, take: TakePart): void => {
  if (!isJson(part)) return
  take(`${role}/${nameOf(part['type'])}`, part, path)
  const { state } = part
  if (part['type'] !== 'tool' || !isJson(state)) return
  take(`tool:${nameOf(state['status'])}`, state, `${path}.state`)
  if (part['tool'] === 'read') takeObject('Read', state['input'], `${path}.state.input`, take)
}

const takeObject = (name: string, value: unknown, path: string, take: TakePart): void => {
  if (isJson(value)) take(name, value, path)
}

const nameOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 60) : '?')

/** The objects of one event of the stream that a format describes. */
export const eachEventPart = (event: Json, take: TakePart): void => {
  const type = nameOf(event['type'])
  take(type, event, '')
  const { part } = event
  if (!isJson(part)) return
  take(`${type}.part`, part, 'part')
  takeObject(`${type}.part.tokens`, part['tokens'], 'part.tokens', take)
  if (isJson(part['state']))
    take(`${type}.state:${nameOf(part['state']['status'])}`, part['state'], 'part.state')
}
