// @ts-check
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { Failure } from '../server/platform/base/failure.mjs'
import { installPackages } from './system-programs.mjs'

/** The headless shell comes first: it renders pages without windows, in less than half of the processor time. */
const SYSTEM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const SYSTEM_FIREFOX = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
]

/** @returns {Promise<string>} path of the program */
export async function ensureBrowser() {
  const found = await findBrowser()
  if (found !== null) return found
  process.stdout.write('Installing a browser …\n')
  spawnSync(process.execPath, ['node_modules/@playwright/test/cli.js', 'install', 'chromium'], {
    stdio: 'ignore',
  })
  const downloaded = await findBrowser()
  if (downloaded !== null) return downloaded
  for (const name of ['chromium-headless-shell', 'chromium']) {
    await installPackages([name])
    const packaged = await findBrowser()
    if (packaged !== null) return packaged
  }
  throw new Failure(
    'installFailed',
    'No browser could be installed for the browser tests. Install Chromium and set CHROMIUM_PATH to it.',
  )
}

/** Browser of CHROMIUM_PATH, Playwright's own, or the system's; null: none. @returns {Promise<string | null>} */
export async function findBrowser() {
  const { chromium } = await import('@playwright/test')
  const candidates = [process.env['CHROMIUM_PATH'] ?? '', chromium.executablePath(), ...SYSTEM]
  return candidates.find((file) => file !== '' && fs.existsSync(file)) ?? null
}

/** Firefox of FIREFOX_PATH, or the system's; null: none. @returns {string | null} */
export function findFirefox() {
  const candidates = [process.env['FIREFOX_PATH'] ?? '', ...SYSTEM_FIREFOX]
  return candidates.find((file) => file !== '' && fs.existsSync(file)) ?? null
}
