import { bareLoopDriver } from './bare-loop-driver.ts'
import { compatibility } from './compatibility.ts'

compatibility(bareLoopDriver)
