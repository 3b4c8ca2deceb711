import { compatibility } from '../test/compatibility.ts'
import { codexDriver, ephemeralCodexDriver } from './test/codex-driver.ts'

compatibility(codexDriver)
compatibility(ephemeralCodexDriver)
