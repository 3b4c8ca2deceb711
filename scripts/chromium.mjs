// @ts-check
import { chromium } from '@playwright/test'
import { findBrowser } from './browser.mjs'

const found = await findBrowser()
const isOwn = found === chromium.executablePath()

/** @type {import('@playwright/test').LaunchOptions} */
export const LAUNCH = {
  ...(found === null || isOwn ? {} : { executablePath: found }),
  chromiumSandbox: process.getuid?.() !== 0 && process.env['CI'] === undefined,
  args: [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--disable-quic',
  ],
}
