import { existsSync } from 'node:fs'

/** The Chromium of this machine; undefined, and said, where there is none. */
export const browserFile = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync)
if (browserFile === undefined)
  console.warn(
    'There is no Chromium: pages are not tested in a browser. apt-get install chromium-headless-shell',
  )
