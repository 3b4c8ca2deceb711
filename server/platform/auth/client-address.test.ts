import { describe, expect, test } from 'vitest'
import { addressBefore, clientAddress } from './client-address.ts'

describe('the client address of a request', () => {
  test('the client address of a request is that of the socket without a proxy, for any headers', () => {
    expect(addressBefore(0, { socket: '::ffff:10.1.2.3', forwarded: '6.6.6.6' })).toBe('10.1.2.3')
  })

  test('the client address of a request is the address that the outermost proxy saw, not a header of the sender', () => {
    const forwarded = '6.6.6.6, 203.0.113.9, 10.0.0.2'
    expect(addressBefore(1, { socket: '10.0.0.3', forwarded })).toBe('10.0.0.2')
    expect(addressBefore(2, { socket: '10.0.0.3', forwarded })).toBe('203.0.113.9')
  })

  test('the client address of a request is unknown when a proxy is missing or wrote no address', () => {
    expect(addressBefore(1, { socket: '10.0.0.3', forwarded: undefined })).toBeNull()
    expect(addressBefore(1, { socket: '10.0.0.3', forwarded: '<script>' })).toBeNull()
    expect(addressBefore(0, { socket: undefined, forwarded: undefined })).toBeNull()
  })

  test('the client address of a request is not taken from a header that lacks the mark of this process', () => {
    expect(clientAddress(new Headers({ 'x-signalbox-client': 'guess 10.0.0.1' }))).toBeNull()
  })
})
