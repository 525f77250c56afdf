/** Text as HTML; what is handed on unescaped is wrapped in `raw` by those who made it. */
export type Html = { readonly html: string }

type Value = string | number | Html | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => entities[c] ?? c)

const shown = (value: Value): string =>
  typeof value === 'string'
    ? escapeHtml(value)
    : typeof value === 'number'
      ? String(value)
      : 'html' in value
        ? value.html
        : value.map((each) => each.html).join('')

/** A piece of a page: every text that is put in is escaped, so that words of a model or a path can be no markup. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html => ({
  html: parts.map((part, index) => part + (index < values.length ? shown(values[index] ?? '') : '')).join(''),
})

export const raw = (text: string): Html => ({ html: text })
export const nothing: Html = raw('')
