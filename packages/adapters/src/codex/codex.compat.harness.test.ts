import { SCENARIOS } from '@signalbox/testkit'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { compatibility } from '../test/compatibility.ts'
import { codexDriver, ephemeralCodexDriver } from './test/codex-driver.ts'

compatibility(codexDriver, selectSample(SCENARIOS, 4, 1))
compatibility(ephemeralCodexDriver, selectSample(SCENARIOS, 4, 3))
