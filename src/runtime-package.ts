import type { BundledPackage } from './licenses.ts'

/** What bun.com/docs/project/licensing says of the libraries in it. */
const linked: readonly (readonly [library: string, license: string])[] = [
  ['JavaScriptCore and other parts of WebKit', 'LGPL-2.0-or-later'],
  ['TinyCC', 'LGPL-2.1'],
  ['BoringSSL, ICU, libarchive', 'their own licences'],
  [
    'brotli, c-ares, libdeflate, libuv (Windows), ls-hpack, ls-qpack, mimalloc, picohttpparser, uucode',
    'MIT',
  ],
  ['lsquic', 'MIT and BSD-3-Clause'],
  ['lol-html, libwebp, zstd', 'BSD-3-Clause'],
  ['libbase64, libspng', 'BSD-2-Clause'],
  ['libjpeg-turbo', 'IJG, BSD-3-Clause and Zlib'],
  ['zlib-ng', 'Zlib'],
  ['highway, simdutf, uSockets, uWebSockets, parts of TigerBeetle', 'Apache-2.0'],
  ['parts of LLVM', 'Apache-2.0 with LLVM exception'],
]

/** The runtime that the binary carries along. */
export const runtimePackage = (version: string): BundledPackage => ({
  name: 'bun',
  version,
  license: 'MIT',
  text: `The runtime, which this binary holds unchanged, and in it, linked statically:

${linked.map(([library, license]) => `- ${library}: ${license}`).join('\n')}

Source and licences: https://github.com/oven-sh/bun, and of its WebKit https://github.com/oven-sh/WebKit. Under the LGPL you may
link Bun again with a WebKit that you have changed, and build yoke with it from its sources.`,
})
