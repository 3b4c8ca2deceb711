import { SCENARIOS } from '@signalbox/testkit'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { compatibility } from '../test/compatibility.ts'
import { codexDriver, ephemeralCodexDriver } from './test/codex-driver.ts'

compatibility(codexDriver)
// The same program without a transcript on disk: every third scenario shows that the way works.
compatibility(ephemeralCodexDriver, selectSample(SCENARIOS, 3))
