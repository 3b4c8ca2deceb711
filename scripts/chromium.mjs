// @ts-check
// Which Chromium the browser tests and benchmarks use: the one that was named, Playwright's own, or the system's.
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'

const candidates = [
  process.env['CHROMIUM_PATH'],
  chromium.executablePath(),
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
]
const found = candidates.find((file) => file !== undefined && existsSync(file))
const isOwn = found === chromium.executablePath()

/** @type {import('@playwright/test').LaunchOptions} */
export const LAUNCH = {
  ...(found === undefined || isOwn ? {} : { executablePath: found }),
  chromiumSandbox: process.getuid?.() !== 0 && process.env['CI'] === undefined,
  args: [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--disable-quic',
  ],
}
