// Against the real product: a production build, an embedded database in a fresh folder, a real runtime; one product for each worker.
import { defineConfig } from '@playwright/test'
import { PRODUCT } from './e2e/product.ts'
import { LAUNCH } from './scripts/chromium.mjs'
import { IS_SOAK } from './scripts/soak-sample.mjs'

export default defineConfig({
  testDir: 'e2e',
  fullyParallel: false,
  grepInvert: IS_SOAK ? [] : /@soak/,
  workers: 2,
  timeout: 180_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env['CI'] !== undefined,
  globalSetup: './e2e/start-product.ts',
  use: {
    baseURL: PRODUCT.origin,
    viewport: { width: 1280, height: 800 },
    storageState: PRODUCT.signedIn,
    trace: 'off',
    // Without a graphics card what moves is painted by the processor, a tenth of it for each page that is open.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: LAUNCH,
  },
})
