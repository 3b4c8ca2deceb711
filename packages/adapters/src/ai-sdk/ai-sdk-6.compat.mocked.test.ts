import { vi } from 'vitest'
import { compatibility } from '../test/compatibility.ts'
import { aiSdk6Driver } from './test/ai-sdk-6-driver.ts'

vi.mock('ai', async () => ({
  ...(await import('ai-6')),
  // The driver of `ai` 7 imports it, and this driver shares parts of that one.
  isStepCount: undefined,
}))

compatibility(aiSdk6Driver)
