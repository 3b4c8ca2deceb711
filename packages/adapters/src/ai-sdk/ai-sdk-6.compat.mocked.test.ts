import { vi } from 'vitest'
import { compatibility } from '../test/compatibility.ts'
import { aiSdk6Driver } from './test/ai-sdk-6-driver.ts'

vi.mock('ai', async () => ({
  ...(await import('ai-6')),
  // This driver shares code with the driver of `ai` 7, which imports this name.
  isStepCount: undefined,
}))

compatibility(aiSdk6Driver)
