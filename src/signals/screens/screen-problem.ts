/**
 * A screen that could not be drawn or read within the limits of a look: which limit, in a sentence. `isBusy` means that the
 * machine was too busy, not that this screen costs too much.
 */
export class ScreenProblem extends Error {
  readonly isBusy: boolean;

  constructor(message: string, isBusy = false) {
    super(message);
    this.isBusy = isBusy;
  }
}
