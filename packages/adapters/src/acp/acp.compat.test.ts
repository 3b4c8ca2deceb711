import { compatibility } from '../test/compatibility.ts'
import { acpDriver } from './test/acp-driver.ts'

compatibility(acpDriver)
