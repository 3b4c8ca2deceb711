// Browser tests against the real product: a production build, its own embedded database in a fresh folder, a real runtime.
import { existsSync } from 'node:fs'
import { chromium, defineConfig } from '@playwright/test'

const PORT = Number(process.env['E2E_PORT'] ?? 3197)
const candidates = [
  process.env['CHROMIUM_PATH'],
  chromium.executablePath(),
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
]
const found = candidates.find((file) => file !== undefined && existsSync(file))
const isOwn = found === chromium.executablePath()

export default defineConfig({
  testDir: 'e2e',
  fullyParallel: false,
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env['CI'] !== undefined,
  globalSetup: './e2e/start-product.ts',
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    viewport: { width: 1280, height: 800 },
    storageState: 'test-results/signed-in.json',
    trace: 'off',
    launchOptions: {
      ...(found === undefined || isOwn ? {} : { executablePath: found }),
      chromiumSandbox: process.getuid?.() !== 0 && process.env['CI'] === undefined,
      args: [
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
      ],
    },
  },
})
