import { SCENARIOS } from '@signalbox/testkit'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { compatibility } from '../test/compatibility.ts'
import { codexDriver, ephemeralCodexDriver } from './test/codex-driver.ts'

compatibility(codexDriver)
// The same program without a transcript on disk. Every third scenario suffices to show that it works.
compatibility(ephemeralCodexDriver, selectSample(SCENARIOS, 3))
