import { compatibility } from '../test/compatibility.ts'
import { mastraDriver, mastraStreamDriver } from './test/mastra-driver.ts'

compatibility(mastraDriver)
compatibility(mastraStreamDriver)
