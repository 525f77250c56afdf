/** WebAssembly in any of the forms in which a bundler carries it: the bytes, base64, an array of numbers, an escaped string. */
const forms: readonly Buffer[] = [
  Buffer.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]),
  Buffer.from('AGFzbQEAAAA'),
  Buffer.from('0,97,115,109,1,0,0,0'),
  Buffer.from('\\0asm'),
  Buffer.from('\\x00asm'),
  Buffer.from('WebAssembly.'),
]

/** How often each form is in the bytes. */
export const wasmIn = (bytes: Buffer): readonly number[] => forms.map((form) => count(bytes, form))

const count = (bytes: Buffer, form: Buffer): number => {
  let found = 0
  for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, at + 1)) found++
  return found
}
